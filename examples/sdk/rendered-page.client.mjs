import { SealwayBrowser } from "@sealway/sdk/browser"

const { browser, document: sealed, token } = JSON.parse(document.getElementById("data").textContent)
const output = document.getElementById("iban")
new SealwayBrowser(browser).decrypt(token, sealed).then(
  ({ iban }) => {
    output.value = iban
  },
  (error) => {
    output.value = `not available (${error.code})`
  },
)
