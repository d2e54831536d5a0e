/** What the service has written into the frame's page. */
export interface FieldPageData {
  readonly origins: readonly string[]
  /** Uncompressed, base64. */
  readonly publicKey: string
  readonly isSandbox: boolean
}

export interface RevealPageData {
  readonly origins: readonly string[]
}

/** Reads the data of the frame's own page, which comes from the service with the script. */
export function readPageData<Data>(document: Document): Data {
  return JSON.parse(document.getElementById("data")?.textContent ?? "") as Data
}
