export { nodeSealing as sealing } from "@sealway/tokens/clients/node"
