FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci
COPY build.mjs tsconfig.json tsconfig.build.json ./
COPY build build
COPY src src
COPY solvers solvers
COPY api api
RUN npm run build && npm prune --omit=dev

# Nothing is written here: run it with --read-only, and --cap-drop ALL.
FROM node:26-slim
WORKDIR /app
# Threads share two of malloc's arenas, as each keeps what its own leaves over.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 MALLOC_ARENA_MAX=2
COPY package.json ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
COPY fixtures/models fixtures/models
COPY fixtures/hardware fixtures/hardware
COPY fixtures/stacks fixtures/stacks
COPY fixtures/options fixtures/options
COPY fixtures/residuals.json fixtures/recipes.json fixtures/
COPY fixtures/requests fixtures/requests
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=30s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "dist/api/main.js"]
