export { CORS } from "./cors.ts"
export { createService, type ServedEndpoint } from "./service.ts"
