import * as z from "zod"
import { decodeMessage, encodeMessage } from "./encode-message.ts"
import { url, uuid } from "./formats.ts"
import { MessageProblem } from "./message-problem.ts"
import { parseMessage } from "./parse-message.ts"

const methodRequestSchema = z.object({ threeDSServerTransID: uuid, threeDSMethodNotificationURL: url(2_048) })
const methodNotificationSchema = z.object({ threeDSServerTransID: uuid })

/** What a browser posts to the issuer's fingerprinting page. */
export type MethodRequest = Readonly<z.infer<typeof methodRequestSchema>>
/** What the browser brings back: the fingerprint was taken. */
export type MethodNotification = Readonly<z.infer<typeof methodNotificationSchema>>

/** Returns the value of the form field `threeDSMethodData`. */
export function writeMethodData(data: MethodRequest | MethodNotification): string {
  return encodeMessage(JSON.stringify(data))
}

/** Returns null when a browser sends something else. */
export const readMethodRequest = (encoded: string): MethodRequest | null => read(methodRequestSchema, encoded)

/** Returns null when a browser sends something else. */
export const readMethodNotification = (encoded: string): MethodNotification | null =>
  read(methodNotificationSchema, encoded)

function read<Data>(schema: z.ZodType<Data>, encoded: string): Data | null {
  const bytes = decodeMessage(encoded)
  if (bytes === null) return null
  try {
    return schema.safeParse(parseMessage(bytes)).data ?? null
  } catch (error) {
    if (error instanceof MessageProblem) return null
    throw error
  }
}
