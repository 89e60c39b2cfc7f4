import { notifications } from '@mantine/notifications';
import { inWords } from '../api/problem';

/** Says that an action did not succeed, and why. */
export function noticeFailure(title: string, error: unknown): void {
  notifications.show({ color: 'red', title, message: inWords(error), autoClose: 10_000 });
}

export function noticeSuccess(message: string): void {
  notifications.show({ message });
}
