import { EmptyState } from '../../ui/empty-state';

export default function Forbidden() {
  return (
    <EmptyState title="Only an admin can see this page">
      Your role does not allow it. Ask an admin to change your role, or to do for you what you came for.
    </EmptyState>
  );
}
