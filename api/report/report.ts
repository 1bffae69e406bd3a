/** How answers of one kind are written besides as JSON; text is wrapped to the width of a terminal, where there is one. */
export interface Report<Body> {
  readonly text: (body: Body, width?: number) => string
  readonly markdown: (body: Body) => string
  readonly csv: (body: Body) => string
}

/** A report that is also a page. */
export interface PageReport<Body> extends Report<Body> {
  readonly html: (body: Body) => string
}
