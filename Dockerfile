# Two images. The last one, which is what is built unless a target is named, is the container that serves relays:
# forward proxies, and what is too large for a Lambda (docs/deployment.md).
#   docker build --platform linux/arm64 --tag sealway-relay .
# `local` is the whole service on one machine, as `npm start` runs it (docs/running-locally.md).
#   docker build --target local --tag sealway .

# Which Node.js it stands on. For production name it by digest: docs/deployment.md says how.
ARG NODE_IMAGE=node:24-slim
FROM ${NODE_IMAGE} AS relay-dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/kernel/package.json packages/kernel/
COPY packages/tokens/package.json packages/tokens/
COPY packages/platform/package.json packages/platform/
COPY packages/policies/package.json packages/policies/
COPY packages/vault/package.json packages/vault/
COPY packages/relay-engine/package.json packages/relay-engine/
COPY packages/relay/package.json packages/relay/
COPY packages/relay-proxy/package.json packages/relay-proxy/
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/relay-proxy

FROM ${NODE_IMAGE} AS local-dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/kernel/package.json packages/kernel/
COPY packages/tokens/package.json packages/tokens/
COPY packages/platform/package.json packages/platform/
COPY packages/policies/package.json packages/policies/
COPY packages/proofs/package.json packages/proofs/
COPY packages/vault/package.json packages/vault/
COPY packages/management/package.json packages/management/
COPY packages/members/package.json packages/members/
COPY packages/webhooks/package.json packages/webhooks/
COPY packages/payments/package.json packages/payments/
COPY packages/sdk/package.json packages/sdk/
COPY packages/elements/package.json packages/elements/
COPY packages/enclave/package.json packages/enclave/
COPY packages/files/package.json packages/files/
COPY packages/honey/package.json packages/honey/
COPY packages/subjects/package.json packages/subjects/
COPY packages/functions/package.json packages/functions/
COPY packages/relay-engine/package.json packages/relay-engine/
COPY packages/relay/package.json packages/relay/
COPY packages/relay-proxy/package.json packages/relay-proxy/
COPY packages/api/package.json packages/api/
COPY packages/local/package.json packages/local/
COPY packages/cli/package.json packages/cli/
COPY packages/cli/bin packages/cli/bin
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/local --workspace @sealway/cli

# The dashboard is built here: its libraries and its bundler are in no image, only what they make.
FROM ${NODE_IMAGE} AS dashboard
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/kernel/package.json packages/kernel/
COPY packages/tokens/package.json packages/tokens/
COPY packages/sdk/package.json packages/sdk/
COPY packages/dashboard/package.json packages/dashboard/
# The bundler's program for this platform is an optional dependency.
RUN npm ci --omit=dev --include=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/dashboard
COPY packages/kernel packages/kernel
COPY packages/tokens packages/tokens
COPY packages/sdk packages/sdk
COPY packages/dashboard packages/dashboard
RUN ["node", "packages/dashboard/src/build/main.ts", "/built"]

FROM ${NODE_IMAGE} AS local
# For `docker exec ... sealway`.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 SEALWAY_DASHBOARD=/app/dashboard PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
COPY --from=local-dependencies /app/node_modules node_modules
COPY --from=local-dependencies /app/packages packages
COPY --from=dashboard /built dashboard
COPY packages/kernel packages/kernel
COPY packages/tokens packages/tokens
COPY packages/platform packages/platform
COPY packages/policies packages/policies
COPY packages/proofs packages/proofs
COPY packages/vault packages/vault
COPY packages/management packages/management
COPY packages/members packages/members
COPY packages/webhooks packages/webhooks
COPY packages/payments packages/payments
COPY packages/sdk packages/sdk
COPY packages/elements packages/elements
COPY packages/enclave packages/enclave
COPY packages/files packages/files
COPY packages/honey packages/honey
COPY packages/subjects packages/subjects
COPY packages/functions packages/functions
COPY packages/relay-engine packages/relay-engine
COPY packages/relay packages/relay
COPY packages/relay-proxy packages/relay-proxy
COPY packages/api packages/api
COPY packages/local packages/local
COPY packages/cli packages/cli
COPY package.json ./
# A new volume takes over the owner of the folder that it is mounted on. Nothing else is written to.
RUN install --directory --owner=node --group=node --mode=0700 /data
WORKDIR /data
USER node
# The API, relays, and the forward proxy for both kinds of clients.
EXPOSE 7400 7401 7402 7403
HEALTHCHECK --interval=10s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:7400/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Keys would stay in the container's log. They are in /data/.sealway.
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "--heap-growing-percent=20", "--external-memory-accounted-in-global-limit", "--disable-warning=ExperimentalWarning", "/app/packages/local/src/main.ts", "--host", "0.0.0.0", "--hide-keys"]

FROM ${NODE_IMAGE}
# So that whoever has the image can tell what it stands on.
ARG NODE_IMAGE
LABEL org.opencontainers.image.base.name="${NODE_IMAGE}"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=relay-dependencies /app/node_modules node_modules
# With the versions of libraries that only one package has, in its own node_modules.
COPY --from=relay-dependencies /app/packages packages
COPY packages/kernel packages/kernel
COPY packages/tokens packages/tokens
COPY packages/platform packages/platform
COPY packages/policies packages/policies
COPY packages/vault packages/vault
COPY packages/relay-engine packages/relay-engine
COPY packages/relay packages/relay
COPY packages/relay-proxy packages/relay-proxy
COPY package.json ./
# Nothing is written to disk: run it with a read-only root file system.
USER node
# The forward proxy, CloudFront's requests, and whether it is well.
EXPOSE 7402 7443 7480
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SEALWAY_RELAY_HEALTH_PORT || 7480}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "--disable-warning=ExperimentalWarning", "packages/relay-proxy/src/container/main.ts"]
