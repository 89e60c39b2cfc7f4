/** CPU time that this process has used so far. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
