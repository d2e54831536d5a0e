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
COPY packages/core/kernel/package.json packages/core/kernel/
COPY packages/core/tokens/package.json packages/core/tokens/
COPY packages/service/ports/package.json packages/service/ports/
COPY packages/service/accounts/package.json packages/service/accounts/
COPY packages/service/keys/package.json packages/service/keys/
COPY packages/service/records/package.json packages/service/records/
COPY packages/service/http/package.json packages/service/http/
COPY packages/service/policies/package.json packages/service/policies/
COPY packages/service/vault/package.json packages/service/vault/
COPY packages/core/relay-engine/package.json packages/core/relay-engine/
COPY packages/service/relay/package.json packages/service/relay/
COPY packages/hosts/relay-proxy/package.json packages/hosts/relay-proxy/
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/relay-proxy

FROM ${NODE_IMAGE} AS local-dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/core/kernel/package.json packages/core/kernel/
COPY packages/core/tokens/package.json packages/core/tokens/
COPY packages/service/ports/package.json packages/service/ports/
COPY packages/service/accounts/package.json packages/service/accounts/
COPY packages/service/keys/package.json packages/service/keys/
COPY packages/service/records/package.json packages/service/records/
COPY packages/service/http/package.json packages/service/http/
COPY packages/service/policies/package.json packages/service/policies/
COPY packages/clients/proofs/package.json packages/clients/proofs/
COPY packages/service/vault/package.json packages/service/vault/
COPY packages/service/management/package.json packages/service/management/
COPY packages/service/members/package.json packages/service/members/
COPY packages/service/webhooks/package.json packages/service/webhooks/
COPY packages/service/bins/package.json packages/service/bins/
COPY packages/service/three-d-secure/package.json packages/service/three-d-secure/
COPY packages/service/payments/package.json packages/service/payments/
COPY packages/clients/sdk/package.json packages/clients/sdk/
COPY packages/clients/elements/package.json packages/clients/elements/
COPY packages/service/enclave/package.json packages/service/enclave/
COPY packages/service/files/package.json packages/service/files/
COPY packages/service/honey/package.json packages/service/honey/
COPY packages/service/subjects/package.json packages/service/subjects/
COPY packages/core/format-cipher/package.json packages/core/format-cipher/
COPY packages/service/formats/package.json packages/service/formats/
COPY packages/service/functions/package.json packages/service/functions/
COPY packages/core/relay-engine/package.json packages/core/relay-engine/
COPY packages/service/relay/package.json packages/service/relay/
COPY packages/hosts/relay-proxy/package.json packages/hosts/relay-proxy/
COPY packages/hosts/api/package.json packages/hosts/api/
COPY packages/hosts/local/package.json packages/hosts/local/
COPY packages/clients/cli/package.json packages/clients/cli/
COPY packages/clients/cli/bin packages/clients/cli/bin
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/local --workspace @sealway/cli

# The dashboard is built here: its libraries and its bundler are in no image, only what they make.
FROM ${NODE_IMAGE} AS dashboard
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/core/kernel/package.json packages/core/kernel/
COPY packages/core/tokens/package.json packages/core/tokens/
COPY packages/clients/sdk/package.json packages/clients/sdk/
COPY packages/clients/dashboard/package.json packages/clients/dashboard/
# The bundler's program for this platform is an optional dependency.
RUN npm ci --omit=dev --include=optional --ignore-scripts --no-audit --no-fund --workspace @sealway/dashboard
COPY packages/core/kernel packages/core/kernel
COPY packages/core/tokens packages/core/tokens
COPY packages/clients/sdk packages/clients/sdk
COPY packages/clients/dashboard packages/clients/dashboard
RUN ["node", "packages/clients/dashboard/src/build/main.ts", "/built"]

FROM ${NODE_IMAGE} AS local
# For `docker exec ... sealway`.
ENV NODE_ENV=production MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=131072 SEALWAY_DASHBOARD=/app/dashboard PATH=/app/node_modules/.bin:$PATH
WORKDIR /app
COPY --from=local-dependencies /app/node_modules node_modules
COPY --from=local-dependencies /app/packages packages
COPY --from=dashboard /built dashboard
COPY packages/core/kernel packages/core/kernel
COPY packages/core/tokens packages/core/tokens
COPY packages/service/ports packages/service/ports
COPY packages/service/accounts packages/service/accounts
COPY packages/service/keys packages/service/keys
COPY packages/service/records packages/service/records
COPY packages/service/http packages/service/http
COPY packages/service/policies packages/service/policies
COPY packages/clients/proofs packages/clients/proofs
COPY packages/service/vault packages/service/vault
COPY packages/service/management packages/service/management
COPY packages/service/members packages/service/members
COPY packages/service/webhooks packages/service/webhooks
COPY packages/service/bins packages/service/bins
COPY packages/service/three-d-secure packages/service/three-d-secure
COPY packages/service/payments packages/service/payments
COPY packages/clients/sdk packages/clients/sdk
COPY packages/clients/elements packages/clients/elements
COPY packages/service/enclave packages/service/enclave
COPY packages/service/files packages/service/files
COPY packages/service/honey packages/service/honey
COPY packages/service/subjects packages/service/subjects
COPY packages/core/format-cipher packages/core/format-cipher
COPY packages/service/formats packages/service/formats
COPY packages/service/functions packages/service/functions
COPY packages/core/relay-engine packages/core/relay-engine
COPY packages/service/relay packages/service/relay
COPY packages/hosts/relay-proxy packages/hosts/relay-proxy
COPY packages/hosts/api packages/hosts/api
COPY packages/hosts/local packages/hosts/local
COPY packages/clients/cli packages/clients/cli
COPY package.json ./
# A new volume takes over the owner of the folder that it is mounted on. Nothing else is written to.
RUN install --directory --owner=node --group=node --mode=0700 /data
WORKDIR /data
USER node
# The API, relays, and the forward proxy for both kinds of clients.
EXPOSE 7400 7401 7402 7403
HEALTHCHECK --interval=10s --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:7400/health').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Keys would stay in the container's log. They are in /data/.sealway.
ENTRYPOINT ["node", "--disable-sigusr1", "--max-semi-space-size=16", "--no-allocation-site-pretenuring", "--heap-growing-percent=20", "--external-memory-accounted-in-global-limit", "--disable-warning=ExperimentalWarning", "/app/packages/hosts/local/src/main.ts", "--host", "0.0.0.0", "--hide-keys"]

FROM ${NODE_IMAGE}
# So that whoever has the image can tell what it stands on.
ARG NODE_IMAGE
LABEL org.opencontainers.image.base.name="${NODE_IMAGE}"
ENV NODE_ENV=production
WORKDIR /app
COPY --from=relay-dependencies /app/node_modules node_modules
# With the versions of libraries that only one package has, in its own node_modules.
COPY --from=relay-dependencies /app/packages packages
COPY packages/core/kernel packages/core/kernel
COPY packages/core/tokens packages/core/tokens
COPY packages/service/ports packages/service/ports
COPY packages/service/accounts packages/service/accounts
COPY packages/service/keys packages/service/keys
COPY packages/service/records packages/service/records
COPY packages/service/http packages/service/http
COPY packages/service/policies packages/service/policies
COPY packages/service/vault packages/service/vault
COPY packages/core/relay-engine packages/core/relay-engine
COPY packages/service/relay packages/service/relay
COPY packages/hosts/relay-proxy packages/hosts/relay-proxy
COPY package.json ./
# Nothing is written to disk: run it with a read-only root file system.
USER node
# The forward proxy, CloudFront's requests, and whether it is well.
EXPOSE 7402 7443 7480
HEALTHCHECK --start-period=30s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.SEALWAY_RELAY_HEALTH_PORT || 7480}/health`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--disable-sigusr1", "--disable-warning=ExperimentalWarning", "packages/hosts/relay-proxy/src/container/main.ts"]
