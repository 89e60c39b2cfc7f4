// Imported first by every command, so it has to be understood by any Node that knows modules at all.
if (Number(process.versions.node.split('.')[0]) < 20) {
  console.error(`Muster needs Node.js 20 or later, but this is ${process.version}.`);
  process.exit(1);
}
