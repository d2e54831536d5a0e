/** How far the charts of the first page look back. */
export type Span = "hour" | "day" | "month"
