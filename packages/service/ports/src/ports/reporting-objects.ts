import type { Objects } from "./objects.ts"

/** The operation of S3, as IAM names it, that each method takes in the cloud. Signing a URL takes none. */
export const OBJECT_OPERATIONS = {
  put: "PutObject",
  get: "GetObject",
  readStart: "GetObject",
  remove: "DeleteObject",
  createUpload: "PutObject",
  listParts: "ListMultipartUploadParts",
  completeUpload: "PutObject",
  abortUpload: "AbortMultipartUpload",
} as const satisfies Partial<Record<keyof Objects, string>>

/** Wraps objects that are not in S3, so that their calls are reported like those to S3. */
export function reportingObjects(objects: Objects, onCall: (operation: string) => void): Objects {
  const reported = (method: keyof typeof OBJECT_OPERATIONS) => {
    onCall(OBJECT_OPERATIONS[method])
    return objects
  }
  return {
    ...objects,
    put: (...call) => reported("put").put(...call),
    get: (...call) => reported("get").get(...call),
    readStart: (...call) => reported("readStart").readStart(...call),
    remove: (...call) => reported("remove").remove(...call),
    createUpload: (...call) => reported("createUpload").createUpload(...call),
    listParts: (...call) => reported("listParts").listParts(...call),
    completeUpload: (...call) => reported("completeUpload").completeUpload(...call),
    abortUpload: (...call) => reported("abortUpload").abortUpload(...call),
  }
}
