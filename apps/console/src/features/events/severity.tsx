import type { SystemEvent } from '../../api/records';
import { StateOf } from '../../ui/state';
import type { StateOption } from '../../ui/state';

export const SEVERITIES: StateOption<SystemEvent['severity']>[] = [
  { value: 'info', label: 'Info', tone: 'rest' },
  { value: 'warning', label: 'Warning', tone: 'wait' },
  { value: 'error', label: 'Error', tone: 'bad' },
  { value: 'critical', label: 'Critical', tone: 'alarm' },
];

export function Severity({ of: severity }: { of: SystemEvent['severity'] }) {
  return <StateOf options={SEVERITIES} value={severity} />;
}
