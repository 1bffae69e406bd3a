/** Answers as `Accept-Encoding` asks for them: also YAML, which the registry of media types does not list as compressible. */
import compression from 'compression'

export const compressed = compression({
  filter: (request, response) =>
    String(response.getHeader('content-type')).startsWith('application/yaml') ||
    compression.filter(request, response),
})
