/** The supported versions of EMV 3-D Secure, oldest first. */
export const MESSAGE_VERSIONS = ["2.2.0", "2.3.1"] as const
export type MessageVersion = (typeof MESSAGE_VERSIONS)[number]

export const MESSAGE_TYPES = ["AReq", "ARes", "CReq", "CRes", "RReq", "RRes", "Erro"] as const
export type MessageType = (typeof MESSAGE_TYPES)[number]
