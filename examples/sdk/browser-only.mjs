// A page that needs no server: it encrypts what a person types, with the app's public key.
import { SealwayBrowser } from "@sealway/sdk/browser"

// A bundler puts your ids in the place of these.
const sealway = new SealwayBrowser({
  teamId: process.env.SEALWAY_TEAM,
  appId: process.env.SEALWAY_APP,
  baseUrl: process.env.SEALWAY_URL,
})

document.getElementById("form").addEventListener("submit", async (event) => {
  event.preventDefault()
  const input = document.getElementById("number")
  const number = input.value.replaceAll(/[ -]/g, "")
  input.value = ""
  document.getElementById("sealed").value = await sealway.encrypt(number)
})
