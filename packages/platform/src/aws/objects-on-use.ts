import type { Objects } from "../ports/objects.ts"

/** Returns objects whose first call loads what they are made of: most processes have none. */
export function objectsOnUse(load: () => Promise<Objects>): Objects {
  let loading: Promise<Objects> | undefined
  const loaded = () => {
    loading ??= load()
    return loading
  }
  return {
    put: async (...call) => (await loaded()).put(...call),
    get: async (...call) => (await loaded()).get(...call),
    readStart: async (...call) => (await loaded()).readStart(...call),
    remove: async (...call) => (await loaded()).remove(...call),
    createUpload: async (...call) => (await loaded()).createUpload(...call),
    listParts: async (...call) => (await loaded()).listParts(...call),
    completeUpload: async (...call) => (await loaded()).completeUpload(...call),
    abortUpload: async (...call) => (await loaded()).abortUpload(...call),
    signPart: async (...call) => (await loaded()).signPart(...call),
    signDownload: async (...call) => (await loaded()).signDownload(...call),
  }
}
