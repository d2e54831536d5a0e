export { webSealing as sealing } from "@sealway/tokens/clients/web"
