export type { FileDependencies } from "./dependencies.ts"
export { fileEndpoints } from "./endpoints/index.ts"
export { createFileStorage, type FileStorage } from "./storage/file-storage.ts"
