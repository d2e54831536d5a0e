import { sealing } from "#sealing"
import type { DataSubjectKey, FunctionRun } from "../api/generated/schemas.ts"
import { createRunFunction } from "../functions/run-function.ts"
import { createAppKeyCache } from "../keys/app-key-cache.ts"
import { readSubjectKey } from "../keys/read-subject-key.ts"
import { NO_AUTHORIZATION, requireVisible, tokenAuthorization } from "../requests/authorization.ts"
import { type ConnectionOptions, createTransport } from "../requests/http-transport.ts"
import { requireJson } from "../requests/json-arguments.ts"
import { pathSegment } from "../requests/path-segment.ts"
import type { CallOptions } from "../requests/transport.ts"
import type { Encrypted } from "../sealing/encrypted.ts"
import { createSealer, type Sealer } from "../sealing/sealer.ts"
import { refuseMissingSubject } from "../sealing/subject-key.ts"

export interface SealwayBrowserOptions extends ConnectionOptions {
  /** The team's id, `team_…`. */
  readonly teamId: string | undefined
  /** The app's id, `app_…`. */
  readonly appId: string | undefined
}

export interface PageEncryptOptions {
  /** Slug of the data role whose policies decide who may decrypt. Not for files. */
  readonly role?: string | undefined
  /**
   * The public key of the data subject that the values are about. The page's server gets it with
   * `sealway.api.getDataSubjectKey`, for the person who uses the page. Not for files.
   */
  readonly dataSubject?: DataSubjectKey
}

/**
 * Sealway for pages, which hold no API key: it encrypts with the app's public key, and uses tokens that the page's server
 * has issued.
 *
 * ```ts
 * const sealway = new SealwayBrowser({ teamId, appId, baseUrl: "https://api.example.com" })
 * const card = await sealway.encrypt(input.value, "pci")
 * ```
 */
export class SealwayBrowser {
  readonly #options: ConnectionOptions
  readonly #appId: string
  readonly #sealer: Sealer

  /** @throws TypeError if an option is wrong */
  constructor(options: SealwayBrowserOptions) {
    const { teamId, appId, ...connection } = options
    requireVisible("teamId", teamId)
    requireVisible("appId", appId)
    this.#options = connection
    this.#appId = appId
    const transport = createTransport({ ...options, authorization: NO_AUTHORIZATION })
    const path = `/${pathSegment("teamId", teamId)}/apps/${pathSegment("appId", appId)}`
    this.#sealer = createSealer({
      platform: sealing,
      appKey: createAppKeyCache({
        appId,
        fetchKey: () => transport.send({ method: "GET", path, isRepeatable: true }),
        isShared: false,
        now: performance.now.bind(performance),
      }),
    })
  }

  /**
   * Encrypts in the page: its server and Sealway see nothing. Strings, numbers and booleans become tokens; objects and
   * lists keep their shape; a Blob, such as a file of the user, becomes an encrypted one.
   *
   * @param options or the role alone: slug of the data role whose policies decide who may decrypt; not for files
   * @throws TypeError if data or role cannot be encrypted, or the key of the data subject is none of this app
   */
  async encrypt<Data>(data: Data, options: string | PageEncryptOptions = {}): Promise<Encrypted<Data>> {
    const { role, dataSubject }: PageEncryptOptions =
      typeof options === "string" ? { role: options } : options
    if (typeof options !== "string") refuseMissingSubject(options)
    if (dataSubject === undefined) return this.#sealer.encrypt(data, role)
    const key = readSubjectKey(dataSubject, this.#appId)
    if (key === null)
      throw new TypeError("The key of the data subject is not what the service answers for this app.")
    return this.#sealer.encrypt(data, role, () => key)
  }

  /**
   * Decrypts a document with the token that the page's server has issued for it (`clientTokens.create`).
   *
   * @throws ApiError `forbidden` if the token is for another document
   */
  async decrypt<Result = unknown>(token: string, data: object, options?: CallOptions): Promise<Result> {
    requireJson("data", data)
    const transport = createTransport({ ...this.#options, authorization: tokenAuthorization("Token", token) })
    const body = { contentType: "application/json", content: JSON.stringify(data) }
    const { content } = await transport.send(
      { method: "POST", path: "/decrypt", body, isRepeatable: true },
      options,
    )
    return content as Result
  }

  /** Runs a function once, with the token that the page's server has issued for this payload (`functions.createRunToken`). */
  runFunction(token: string, name: string, payload: object, options?: CallOptions): Promise<FunctionRun> {
    const authorization = tokenAuthorization("RunToken", token)
    return createRunFunction(createTransport({ ...this.#options, authorization }))(name, payload, {
      ...options,
      async: false,
    })
  }
}
