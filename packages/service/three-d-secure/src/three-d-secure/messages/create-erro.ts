import { ERROR_DESCRIPTIONS, type Erro, type ErrorCode3DS, type ErrorComponent } from "./erro.ts"
import { uuid } from "./formats.ts"
import type { Transaction } from "./transaction.ts"
import { MESSAGE_VERSIONS, type MessageType } from "./versions.ts"

const IDS = ["threeDSServerTransID", "dsTransID", "acsTransID"] as const

/** The context of an error. */
export interface ErrorContext {
  /** The component that found it. */
  readonly reader: ErrorComponent
  /** The type of message that cannot be processed. */
  readonly type: MessageType
  /** The message, as far as it could be read. */
  readonly message: Readonly<Record<string, unknown>>
  /** Null when none is known. */
  readonly transaction: Transaction | null
}

/** Creates the Erro that answers a message. It contains the known ids and nothing else of the message. */
export function createErro(
  { code, detail }: { readonly code: ErrorCode3DS; readonly detail: string },
  { reader, type, message, transaction }: ErrorContext,
): Erro {
  const given = MESSAGE_VERSIONS.find((version) => version === message.messageVersion)
  const ids = IDS.flatMap((name) => {
    const id = transaction?.[name] ?? (Object.hasOwn(message, name) ? message[name] : undefined)
    const parsed = uuid.safeParse(id)
    return parsed.success ? [[name, parsed.data] as const] : []
  })
  return {
    messageType: "Erro",
    messageVersion: transaction?.messageVersion ?? given ?? MESSAGE_VERSIONS[0],
    errorCode: code,
    errorComponent: reader,
    errorDescription: ERROR_DESCRIPTIONS[code],
    errorDetail: detail,
    errorMessageType: type,
    ...Object.fromEntries(ids),
  }
}
