/**
 * The schema that policies are validated against, in Cedar's schema syntax. It is published: policies written in Cedar
 * rely on it, so attributes are added and never renamed.
 */
export const CEDAR_SCHEMA = `// The app whose values are to be decrypted: principal of every request.
entity App;

// By its id: ApiKey::"key_...".
entity ApiKey;

// By its slug: DataRole::"pci". Resource of every request.
entity DataRole;

// What clocks show, by time zone: context.clock.getTag("Europe/Dublin").minuteOfDay.
// A tag is there when the policy names the zone, as a literal, by its name in the IANA database.
entity Clock tags LocalTime;

type LocalTime = {
  // 0 to 1439
  minuteOfDay: Long,
  // 1 (Monday) to 7 (Sunday)
  weekday: Long
};

// PCRs of an enclave whose attestation was verified: SHA-384 in lower-case hexadecimal.
type Enclave = {
  pcr0?: String,
  pcr1?: String,
  pcr2?: String,
  pcr8?: String
};

// Decrypt: to see the values in full. Mask: to see what the mask of their role shows. Decrypt is decided first, and Mask
// where it is denied and the role has a mask. A policy without an action is about both.
action Decrypt, Mask appliesTo {
  principal: App,
  resource: DataRole,
  context: {
    // "api", "client-token", "relay", "function" or "enclave"
    source: String,
    time: datetime,
    clock: Clock,
    // An IPv4 address, or an IPv6 one that is not IPv4-mapped. Absent when it is not known.
    ip?: ipaddr,
    apiKey?: ApiKey,
    function?: String,
    // Host in lower case, and port where it is not the scheme's own
    relayDestination?: String,
    enclave?: Enclave
  }
};
`
