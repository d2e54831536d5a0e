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
  { name: "Functions", description: "Your code, called with decrypted values" },
  { name: "Relays", description: "Proxies that encrypt and decrypt chosen fields of traffic" },
  { name: "Payments", description: "What is known of card numbers, and the tables that it is known from" },
  { name: "Insights", description: "What a card can do, and whether its holder's data match" },
  { name: "Webhooks", description: "Endpoints of yours that are told of events" },
  { name: "Merchants", description: "Who takes payments, and how it is enrolled with the card networks" },
  { name: "Acquirers", description: "The banks of merchants, enrolled with the card networks" },
  { name: "3D Secure", description: "Cardholders who are authenticated by the issuers of their cards" },
  { name: "Network Tokens", description: "Numbers that stand for a card at one merchant, and cryptograms" },
  { name: "Card account updates", description: "Cards that networks keep up to date" },
  { name: "Account updater", description: "Cards whose changes networks push in real time" },
  {
    name: "Intelligent Retries",
    description: "Cards of declined payments that networks watch, to tell when to retry",
  },
  {
    name: "Pre-Chargeback Alerts",
    description: "Disputes that can be answered before they become chargebacks",
  },
  { name: "Connectors", description: "Where production apps' card networks are asked, and what they tell" },
  { name: "Teams and apps", description: "What keys, roles, relays and functions belong to" },
  { name: "API keys", description: "The keys of apps and teams, and what they are granted" },
  { name: "Audit log", description: "Who changed what, and which decryptions were refused" },
  { name: "Access log", description: "Who decrypted how many values of which data roles" },
  { name: "Service", description: "The service itself" },
] as const
