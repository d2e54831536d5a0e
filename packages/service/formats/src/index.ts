export type { FormatDependencies } from "./dependencies.ts"
export { formatEndpoints } from "./endpoints/index.ts"
