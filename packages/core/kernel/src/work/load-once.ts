/**
 * Returns a function that loads something when it is first called, and returns the same promise from then on. A load that
 * fails is repeated by the next call.
 */
export function loadOnce<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}
