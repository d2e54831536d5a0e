/**
 * The parts of a key version. KMS encrypts each under its own encryption context, so a role can be limited to what its
 * work needs:
 *
 * - `public`: the public keys, to which values are sealed.
 * - `value`: those, and the symmetric key of values.
 * - `secret`: the public keys, and the secret that signs tokens and webhooks and seals stored records. Opens no value.
 * - `private`: everything. Opens values.
 */
export const KEY_PARTS = ["public", "value", "secret", "private"] as const

export type KeyPart = (typeof KEY_PARTS)[number]

/** What a part holds, itself included: whoever may open it may open these. */
export const PARTS_WITHIN = {
  public: ["public"],
  value: ["public", "value"],
  secret: ["public", "secret"],
  private: KEY_PARTS,
} as const satisfies Record<KeyPart, readonly KeyPart[]>

/** The parts that are stored beside the private one, and made from it. */
export type DerivedKeyPart = Exclude<KeyPart, "private">
