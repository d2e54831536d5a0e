// `npx sst deploy --stage X` starts here. SST refuses imports at the top of this file.
export default $config({
  async app({ stage }) {
    const { resolveStage } = await import("./stacks/config.ts")
    const { region, isProtected } = resolveStage(stage)
    return {
      name: "sealway",
      home: "aws",
      version: "4.17.1",
      removal: isProtected ? "retain" : "remove",
      protect: isProtected,
      providers: { aws: { version: "7.20.0", region } },
    }
  },
  async run() {
    const { publish } = await import("./infra/publish.ts")
    return publish({ root: process.cwd(), stage: $app.stage, environment: process.env })
  },
})
