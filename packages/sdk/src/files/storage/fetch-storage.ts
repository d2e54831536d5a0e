import type { AskStorage } from "./storage.ts"

/** Creates what reaches the storage by `fetch`. */
export function createFetchStorage(fetch: typeof globalThis.fetch): AskStorage {
  return async (url, request) => {
    const { status, headers, body } = await fetch(url, request)
    return {
      ...{ status, etag: headers.get("etag"), isSent: false, body: piecesOf(body) },
      discard: async () => void (await body?.cancel()),
    }
  }
}

/** Not every runtime iterates over streams. */
async function* piecesOf(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, void> {
  if (stream === null) return
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
