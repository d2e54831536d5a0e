import type { KeyStore } from "../key-store.ts"
import type { RequestMembers } from "../request-members.ts"

/**
 * Answers one operation of the AWS KMS API. Null means an empty body, for operations that return nothing.
 *
 * @throws KmsError for every refusal that AWS documents.
 */
export type KmsOperation = (members: RequestMembers, keys: KeyStore) => Promise<object | null>
