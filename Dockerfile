# Debian, not Alpine: the embedded engine's library is built against glibc.
FROM node:24-slim
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev && npm cache clean --force
COPY bin bin
COPY schemas schemas
COPY services services
# The users of the embedded engine are those of a server.
COPY infra/clickhouse infra/clickhouse
# The console, so that no container builds it again.
RUN node services/console/serve/bundle-process.ts
# A named volume takes the owner of the folder that it is mounted over.
RUN mkdir /data && chown node:node /data
USER node
ENV NODE_ENV=production SPOOR_DATA=/data SPOOR_HOST=0.0.0.0
VOLUME /data
# The operators' address, 9402, is the container's own unless SPOOR_OPERATIONS_HOST says otherwise.
EXPOSE 8402
# Without a shell in between: a stop must reach the service itself.
ENTRYPOINT ["node", "services/cli/main.ts"]
CMD ["start"]
