/**
 * JSON that is sent as it is spelled, where an operation takes a body: numbers keep digits that JavaScript would lose.
 *
 * ```ts
 * await sealway.api.createDataRole({ body: new JsonText(await readFile("role.json", "utf8")) })
 * ```
 */
export class JsonText {
  // Private, so that nothing that prints the object shows it.
  readonly #content: string | Uint8Array<ArrayBuffer>

  /** @param content JSON, as text or in UTF-8; the service checks it */
  constructor(content: string | Uint8Array<ArrayBuffer>) {
    this.#content = content
  }

  get content(): string | Uint8Array<ArrayBuffer> {
    return this.#content
  }
}
