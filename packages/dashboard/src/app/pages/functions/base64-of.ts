/** Returns the bytes of a file in base64 (RFC 4648, section 4). Not all browsers have `Uint8Array.prototype.toBase64` yet. */
export function base64Of(file: Blob): Promise<string> {
  const reader = new FileReader()
  return new Promise((resolve, reject) => {
    reader.onerror = () => reject(reader.error ?? new Error("The file cannot be read"))
    reader.onload = () => {
      const url = String(reader.result)
      resolve(url.slice(url.indexOf(",") + 1))
    }
    reader.readAsDataURL(file)
  })
}
