/** The groups of endpoints in the OpenAPI document. */
export const OPENAPI_TAGS = [
  { name: "Core", description: "Encrypt, decrypt, fingerprint and re-encrypt JSON values and files" },
  { name: "Client Tokens", description: "Short-lived tokens that let a frontend decrypt one payload" },
  {
    name: "Keys",
    description: "Public keys for clients that encrypt locally, and rotation of an app's keys",
  },
  {
    name: "Data policies",
    description: "Data roles, and the policies that decide who may decrypt their values",
  },
  { name: "Enclaves", description: "Images of AWS Nitro Enclaves, and decryption for what they attest" },
  { name: "Data Subjects", description: "People whose values can be erased everywhere at once" },
  { name: "Honey Tokens", description: "Values that are never decrypted, and tell who tried" },
  { name: "Files", description: "Files of any size, sealed on their way to the storage" },
  { name: "Functions", description: "Your code, called with decrypted values" },
  { name: "Relays", description: "Proxies that encrypt and decrypt chosen fields of traffic" },
  { name: "Payments", description: "Lookups of card numbers, and the BIN tables behind them" },
  { name: "Insights", description: "A card's capabilities, and checks of its holder's data" },
  { name: "Webhooks", description: "Your URLs that receive events" },
  {
    name: "Merchants",
    description: "Businesses that take payments, and their enrolment with the card networks",
  },
  { name: "Acquirers", description: "Merchants' banks, and their enrolment with the card networks" },
  { name: "3D Secure", description: "Authentication of cardholders by their card issuers" },
  {
    name: "Network Tokens",
    description: "Card numbers that work at one merchant only, and their cryptograms",
  },
  { name: "Card account updates", description: "Cards that the networks keep up to date" },
  { name: "Account updater", description: "Cards whose changes the networks push in real time" },
  {
    name: "Intelligent Retries",
    description: "Cards of declined payments that networks watch, to tell when to retry",
  },
  {
    name: "Pre-Chargeback Alerts",
    description: "Disputes that can be answered before they become chargebacks",
  },
  { name: "Connectors", description: "Connections of production apps to the card networks" },
  { name: "Card fields", description: "Frames in which people type or read what your pages must not see" },
  { name: "Teams and apps", description: "The owners of keys, roles, relays and functions" },
  { name: "API keys", description: "Keys of apps and teams, and their scopes" },
  { name: "Members", description: "People who sign in: their roles, invitations and sessions" },
  { name: "Audit log", description: "Who changed what, and which decryptions were refused" },
  {
    name: "Figures",
    description: "What an app does, in numbers: values, requests, refusals and latencies by time",
  },
  { name: "Access log", description: "Who decrypted how many values of which data roles" },
  { name: "Service", description: "The service itself" },
] as const
