import { sealing } from "#sealing"
import { askStorage } from "#storage"
import { appOperations, type Fingerprint, fingerprint, paymentOperations } from "../api/generated/index.ts"
import { type BoundOperations, bindOperations } from "../api/operation.ts"
import { createFiles } from "../files/create-files.ts"
import type { Files } from "../files/files.ts"
import { createFetchStorage } from "../files/storage/fetch-storage.ts"
import { createAppKeyCache } from "../keys/app-key-cache.ts"
import { createSubjectKeyCache } from "../keys/subject-key-cache.ts"
import { createRelayClient, type RelayClient } from "../relay/relay-client.ts"
import { basicAuthorization, requireVisible } from "../requests/authorization.ts"
import { type ConnectionOptions, createTransport } from "../requests/http-transport.ts"
import { parseServiceAddress } from "../requests/service-address.ts"
import type { CallOptions, Transport } from "../requests/transport.ts"
import type { Encrypted } from "../sealing/encrypted.ts"
import { createSealer, type Sealer } from "../sealing/sealer.ts"
import { refuseMissingSubject, type SubjectKey } from "../sealing/subject-key.ts"
import { verifyWebhook } from "../webhooks/verify-webhook.ts"
import { type ClientTokens, createClientTokens } from "./client-tokens.ts"
import { type Converted, convertDocument } from "./convert-document.ts"
import { createFormats, type Formats } from "./formats.ts"
import { createFunctions, type Functions } from "./functions.ts"

export interface SealwayOptions extends ConnectionOptions {
  /** The app's id, `app_…`. */
  readonly appId: string | undefined
  /** An API key of the app, `swk_…`. Keep it on servers. */
  readonly apiKey: string | undefined
  /** Where all relays are, if not at their own domains: locally `$SEALWAY_RELAY_URL`. Not for workers. */
  readonly relayUrl?: string | undefined
}

export interface EncryptOptions {
  /** Slug of the data role whose policies decide who may decrypt. Not for files. */
  readonly role?: string | undefined
  /**
   * Your id of the data subject that the values are about, which `DELETE /data-subjects/{id}` erases. Not for files. Its
   * public key is fetched, which creates the data subject if there is none, and used for 5 seconds.
   */
  readonly dataSubject?: string
}

export interface DecryptOptions extends CallOptions {
  /** Refuses data without tokens, and texts that begin like a token but are not a complete one. Default: false. */
  readonly requireTokens?: boolean
  /**
   * `full`: refuses with `decrypt/masked-only` if policies permit only masks of the values. `masked`: returns masks, as
   * strings, even if more is permitted. Default: full values, or masks where policies permit no more.
   */
  readonly reveal?: "full" | "masked" | undefined
  /** Why, for the access log: printable ASCII, at most 200 characters. Some policies require it. */
  readonly reason?: string | undefined
}

/**
 * Sealway for servers and workers, with an app's API key.
 *
 * ```ts
 * const sealway = new Sealway({ appId, apiKey, baseUrl: "https://api.example.com" })
 * const sealed = await sealway.encrypt({ card: "4242424242424242" }, "pci")
 * const { card } = await sealway.decrypt<{ card: string }>(sealed)
 * ```
 */
export class Sealway {
  /** Verifies webhooks; needs no client. */
  static readonly webhooks = Object.freeze({ verify: verifyWebhook })

  /** Every operation of the API that takes an API key. */
  readonly api: BoundOperations<typeof appOperations>
  /** The operations of payments. */
  readonly payments: BoundOperations<typeof paymentOperations>
  /** Changes values to tokens that look like them, where `ev:` tokens are too long. */
  readonly formats: Formats
  /** Runs functions, and issues tokens for running them. */
  readonly functions: Functions
  /** Issues tokens with which a browser decrypts one document. */
  readonly clientTokens: ClientTokens
  /** Seals files of any size on their way to the storage, and opens them on their way back. */
  readonly files: Files
  /** Sends requests through the app's relays. */
  readonly relay: RelayClient
  readonly #transport: Transport
  readonly #sealer: Sealer
  readonly #subjectKey: (dataSubject: string) => Promise<SubjectKey>

  /** @throws TypeError if an option is wrong */
  constructor(options: SealwayOptions) {
    const { appId, apiKey, relayUrl = null, allowHttp = false } = options
    requireVisible("appId", appId)
    requireVisible("apiKey", apiKey)
    const base = parseServiceAddress("baseUrl", options.baseUrl, allowHttp)
    const authorization = basicAuthorization(["appId", appId], ["apiKey", apiKey])
    const now = performance.now.bind(performance)
    const transport = createTransport({ ...options, authorization })
    this.#transport = transport
    const appKey = createAppKeyCache({
      appId,
      fetchKey: () => transport.send({ method: "GET", path: "/keys", isRepeatable: true }),
      isShared: sealing.name === "node",
      now,
    })
    const fetch = options.fetch ?? globalThis.fetch.bind(globalThis)
    this.#sealer = createSealer({ platform: sealing, appKey })
    this.files = createFiles({
      transport,
      appKey,
      base,
      wallClock: Date.now.bind(Date),
      askStorage: options.fetch === undefined ? askStorage : createFetchStorage(fetch),
    })
    this.#subjectKey = createSubjectKeyCache({
      appId,
      fetchKey: (dataSubject) =>
        transport.send({
          method: "POST",
          path: "/data-subjects/key",
          headers: { "x-service-data-subject": dataSubject },
          isRepeatable: true,
        }),
      isShared: sealing.name === "node",
      now,
    })
    this.api = bindOperations(appOperations, transport)
    this.payments = bindOperations(paymentOperations, transport)
    this.formats = createFormats(transport)
    this.functions = createFunctions(transport)
    this.clientTokens = createClientTokens(transport, { base, appId })
    this.relay = createRelayClient({
      transport,
      relayUrl,
      allowHttp,
      now,
      fetch,
      credentials: () => ({ "x-service-app-id": appId, "x-service-api-key": apiKey }),
    })
  }

  /**
   * Encrypts here, with the app's public key: the service sees nothing. Strings, numbers and booleans become tokens;
   * objects and lists keep their shape; a Blob, bytes or a stream become an encrypted file.
   *
   * @param options or the role alone: slug of the data role whose policies decide who may decrypt; not for files
   * @throws TypeError if data or role cannot be encrypted
   * @throws ApiError `conflict` if the data subject is going to be erased
   */
  async encrypt<Data>(data: Data, options: string | EncryptOptions = {}): Promise<Encrypted<Data>> {
    const { role, dataSubject }: EncryptOptions = typeof options === "string" ? { role: options } : options
    if (typeof options !== "string") refuseMissingSubject(options)
    if (dataSubject === undefined) return this.#sealer.encrypt(data, role)
    return this.#sealer.encrypt(data, role, () => this.#subjectKey(dataSubject))
  }

  /**
   * Decrypts tokens, wherever they are in the data, and files. Everything else is returned unchanged.
   *
   * @throws ApiError `decrypt/forbidden` if a policy does not permit one of the values: then none is decrypted;
   * `decrypt/masked-only` with `reveal: "full"`; `decrypt/reason-required` without a reason that policies require
   */
  decrypt<Result = unknown, Data = unknown>(
    data: Data,
    { requireTokens, reveal, reason, ...options }: DecryptOptions = {},
  ): Promise<Converted<Data, Result>> {
    const headers = {
      ...(requireTokens && { "x-service-require-tokens": "true" }),
      ...(reveal !== undefined && { "x-service-reveal": reveal }),
      ...(reason !== undefined && { "x-service-reason": reason }),
    }
    return convertDocument(this.#transport, { path: "/decrypt", headers }, data, options)
  }

  /** Encrypts tokens and files again, with the app's newest key, without returning what is in them. */
  rewrap<Data>(data: Data, options?: CallOptions): Promise<Converted<Data, Data>> {
    return convertDocument(this.#transport, { path: "/rewrap" }, data, options)
  }

  /** Returns what a token is about, and a fingerprint that is the same for the same value. */
  async fingerprint(token: string, options?: CallOptions): Promise<Fingerprint> {
    requireVisible("token", token)
    return fingerprint(this.#transport, { body: { token } }, options)
  }
}
