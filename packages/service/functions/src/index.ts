export {
  createFunctionDependencies,
  type FunctionDependencies,
  type FunctionPlatform,
  type FunctionServices,
} from "./dependencies.ts"
export { functionEndpoints } from "./endpoints/index.ts"
export { type RequeueOptions, requeueFunctionWork } from "./queue/requeue-function-work.ts"
export type { RunLimits } from "./records/run-slots.ts"
export { isSilencing } from "./runs/invocation-event.ts"
export { createRunWorker, type RunWorker } from "./worker.ts"
export { InvalidZipError } from "./zip/invalid-zip-error.ts"
export { listZip, type ZipEntry } from "./zip/list-zip.ts"
export type { PackedFile } from "./zip/packed-file.ts"
export { unpackFile } from "./zip/unpack-file.ts"
export { packFile, writeZip } from "./zip/write-zip.ts"
