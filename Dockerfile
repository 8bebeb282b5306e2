# The image of Touchledger: docs/deployment.md.
FROM node:22-bookworm-slim AS build
WORKDIR /srv/touchledger
COPY . .
# The runtime of models comes for every system, in 290 MB, of which this one needs 45.
RUN npm ci --omit=dev --no-audit --no-fund \
  && find node_modules/onnxruntime-node/bin -mindepth 3 -maxdepth 3 ! -path "*/linux/$(node -p process.arch)" -exec rm -r {} +

FROM node:22-bookworm-slim
ENV NODE_ENV=production DATA_DIR=/var/lib/touchledger
WORKDIR /srv/touchledger
COPY --from=build /srv/touchledger/package.json ./
COPY --from=build /srv/touchledger/node_modules ./node_modules
COPY --from=build /srv/touchledger/dist ./dist
COPY --from=build /srv/touchledger/infra/cli/touchledger.js ./infra/cli/
RUN install -d -o node -g node -m 700 /var/lib/touchledger \
  && ln -s /srv/touchledger/infra/cli/touchledger.js /usr/local/bin/touchledger
USER node
VOLUME /var/lib/touchledger
EXPOSE 8080
HEALTHCHECK --start-period=60s --interval=10s --timeout=5s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT ?? 8080}/livez`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=32", "--v8-pool-size=1", "infra/cli/touchledger.js", "start"]
