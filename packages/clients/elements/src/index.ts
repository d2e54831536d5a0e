export type { ElementsDependencies } from "./dependencies.ts"
export { elementEndpoints } from "./endpoints/index.ts"
