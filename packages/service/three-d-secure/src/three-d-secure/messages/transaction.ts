import type { AReq } from "./areq.ts"
import type { ARes } from "./ares.ts"
import type { MessageVersion } from "./versions.ts"

/** What one side knows about a transaction when a message arrives: the message must match it. */
export interface Transaction {
  /** The request's version applies to the whole transaction. */
  readonly messageVersion: MessageVersion
  readonly threeDSServerTransID: string
  /** Absent until the response exists. */
  readonly dsTransID?: string
  /** Absent until the response exists. */
  readonly acsTransID?: string
  readonly deviceChannel: "02" | "03"
  readonly messageCategory: "01" | "02"
  /** The requestor's preference. Empty: none. */
  readonly threeDSRequestorChallengeInd: readonly string[]
}

/** @param ares absent until the response exists */
export function transactionOf(areq: AReq, ares?: Pick<ARes, "dsTransID" | "acsTransID">): Transaction {
  const { messageVersion, threeDSServerTransID, deviceChannel, messageCategory } = areq
  const { threeDSRequestorChallengeInd: wish = [] } = areq
  return {
    messageVersion,
    threeDSServerTransID,
    deviceChannel,
    messageCategory,
    threeDSRequestorChallengeInd: typeof wish === "string" ? [wish] : wish,
    ...(ares !== undefined && { dsTransID: ares.dsTransID, acsTransID: ares.acsTransID }),
  }
}
