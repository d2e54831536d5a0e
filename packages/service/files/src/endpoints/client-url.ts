/**
 * Returns the address of a presigned URL for clients. On one machine, they reach the storage under a path of the service:
 * it passes the request on to the address that was signed.
 */
export function clientUrlOf(url: URL, storagePath: string | null, serviceOrigin: string): string {
  return storagePath === null ? url.href : `${serviceOrigin}${storagePath}${url.pathname}${url.search}`
}
