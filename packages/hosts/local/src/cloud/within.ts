/** Waits for work of an embedded service. @throws Error named TimeoutError after `timeoutMs`; the work goes on */
export async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error("The embedded service did not answer in time.")
      error.name = "TimeoutError"
      reject(error)
    }, timeoutMs)
  })
  try {
    return await Promise.race([work, expiry])
  } finally {
    clearTimeout(timer)
  }
}
