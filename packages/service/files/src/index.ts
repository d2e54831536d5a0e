export type { FileDependencies, FileStorage } from "./dependencies.ts"
export { fileEndpoints } from "./endpoints/index.ts"
