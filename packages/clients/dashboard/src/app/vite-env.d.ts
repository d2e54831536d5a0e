declare module "*.css"
declare module "*.module.css" {
  const classes: Readonly<Record<string, string>>

  export { classes as default }
}
/** Where the API is below the page's origin: empty, or `/api`. */
declare const API_PATH: string
