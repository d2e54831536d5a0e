import { TEST_APP } from "@sealway/accounts/testing"
import type { Relay } from "../relays/relay.ts"

/** A relay of the test app that does nothing. Tests override what differs. */
export const TEST_RELAY: Relay = {
  id: "relay_1",
  teamId: TEST_APP.teamId,
  appId: TEST_APP.id,
  destinationDomain: "api.example.com",
  destination: { scheme: "https", host: "api.example.com", port: 443 },
  relayDomain: "api-example-com.app-1.relay.example.com",
  routes: [],
  authentication: null,
  encryptEmptyStrings: true,
  clientCertificate: null,
  leakWatch: "off",
  caseSensitiveNames: false,
  unknownContentTypes: "refuse",
  unencryptableErrors: "refuse",
  unmatched: "refuse",
  passContentTypes: [],
  rewriteLocations: true,
  forwardedHeaders: "x-forwarded",
  serverTiming: false,
  createdAt: 0,
  updatedAt: 0,
  revision: 1,
}
