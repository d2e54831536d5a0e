import { defineSealwayElements, InvalidFieldsError, SealwayPage } from "@sealway/sdk/fields"

// For pages without a bundler, which load this script from the service.
Object.assign(globalThis, {
  Sealway: Object.freeze({ SealwayPage, InvalidFieldsError, defineSealwayElements }),
})
