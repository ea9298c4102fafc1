# syntax=docker/dockerfile:1
# bascule in a container: the single executable, as a user without rights, with a read-only root (docs/guide/install.md).

# The version of Node that package.json names.
FROM node:24.21.0-trixie-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-audit --no-fund && npm run dist

# Has a shell, setpriv and unshare, with which bascule bounds the processes of databases and of the sandbox.
FROM debian:13.2-slim
RUN useradd --uid 65532 --user-group --create-home --shell /usr/sbin/nologin bascule \
  && install -d -o bascule -g bascule -m 0700 /project /home/bascule/.config /home/bascule/.cache
COPY --from=build /src/dist/bascule /usr/local/bin/bascule
COPY --from=build /src/dist/bascule-licenses.txt /usr/share/doc/bascule/licenses.txt
USER 65532:65532
ENV HOME=/home/bascule
WORKDIR /project
EXPOSE 7420
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s --retries=3 CMD ["bascule", "doctor", "--host"]
ENTRYPOINT ["bascule"]
CMD ["serve", "--host=0.0.0.0", "--expose"]
