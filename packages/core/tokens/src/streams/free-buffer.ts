/**
 * Gives the memory of a buffer back at once. Engines collect buffers late: V8 lets 64 MB of them accumulate, whatever else
 * there is. Does nothing where buffers cannot be transferred (Node.js 20).
 *
 * @param buffer which nothing reads any more: a socket that still writes it would send what comes into its memory next
 */
export function freeBuffer(buffer: ArrayBuffer): void {
  if ("transfer" in buffer) buffer.transfer(0)
}
