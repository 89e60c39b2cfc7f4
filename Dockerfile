# Two images from one file: `--target api` and `--target console`. Neither holds a secret: all settings come
# from the environment (docs/settings.md).
#
# Where packages come from a registry of one's own, its configuration goes in as a build secret, which leaves
# no trace in the image: docker build --secret id=npmrc,src=$HOME/.npmrc …
ARG NODE_IMAGE=node:24-bookworm-slim

# The manifests alone, so that packages are installed anew only when one of these changes.
FROM ${NODE_IMAGE} AS manifests
WORKDIR /muster
COPY . .
RUN find . -type f ! -name package.json ! -name package-lock.json ! -name .npmrc -delete \
  && find . -type d -empty -delete

FROM ${NODE_IMAGE} AS build
WORKDIR /muster
# Install scripts of packages may neither report to third parties nor download an engine that is not used.
ENV SCARF_ANALYTICS=false PRISMA_SCHEMA_ENGINE_BINARY=/bin/true
COPY --from=manifests /muster ./
# As the lock file says. (`npm ci` refuses one that lacks a package for some other platform.)
RUN --mount=type=cache,target=/npm-cache --mount=type=secret,id=npmrc \
  NPM_CONFIG_CACHE=/npm-cache NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm install --no-save --include=dev
COPY . .
# What `npm start` does before it starts: the database client, the types of the API, programs and console.
RUN node --input-type=module --eval "\
  import { consolePages, prepare, programs } from './scripts/prepare.mjs'; \
  await prepare({ builds: [programs, consolePages] });"

# What the API needs at run time: no tools, and no PostgreSQL of its own (an optional package).
FROM ${NODE_IMAGE} AS api-packages
WORKDIR /muster
COPY --from=manifests /muster ./
RUN --mount=type=cache,target=/npm-cache --mount=type=secret,id=npmrc \
  NPM_CONFIG_CACHE=/npm-cache NPM_CONFIG_USERCONFIG=/run/secrets/npmrc npm install --no-save --workspace @muster/api --omit=dev --omit=optional --ignore-scripts

FROM ${NODE_IMAGE} AS runtime
ENV NODE_ENV=production
WORKDIR /muster
# Files belong to root: the programs, which run as `node`, cannot change themselves.
USER node
STOPSIGNAL SIGTERM

FROM runtime AS api
COPY --from=api-packages /muster/node_modules ./node_modules
COPY package.json ./
COPY prisma ./prisma
COPY --from=build /muster/dist/libs ./dist/libs
COPY --from=build /muster/dist/apps/api ./dist/apps/api
EXPOSE 4000
# Whether the process lives. Whether the database answers is another question (/readyz): a new process would
# not bring that back.
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "--eval", \
  "fetch(`http://127.0.0.1:${process.env.PORT ?? 4000}/healthz`).then(({ ok }) => process.exit(Number(!ok)))"]
CMD ["node", "--enable-source-maps", "dist/apps/api/src/main.js"]

FROM runtime AS console
COPY --from=build /muster/apps/console/.next/standalone ./
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s CMD ["node", "--eval", \
  "fetch(`http://127.0.0.1:${process.env.CONSOLE_PORT ?? 3000}/healthz`).then(({ ok }) => process.exit(Number(!ok)))"]
CMD ["node", "apps/console/server/main.ts"]
