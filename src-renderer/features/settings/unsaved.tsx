import {
  createContext,
  use,
  useEffect,
  useId,
  useRef,
  useState,
  type ReactElement,
  type ReactNode,
} from 'react';
import { useClient } from '../../client/queries.ts';
import { guardLeaving } from '../../routes.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { useUnfinished } from '../../ui/unfinished.ts';

const words = {
  title: 'Leave without saving?',
  about: 'You changed settings on this page and haven’t saved them.',
  action: 'Discard changes',
};

const Report = createContext<(form: string, isChanged: boolean) => void>(() => undefined);

/** Tells the window, and the guard around this form if there is one, whether the form has unsaved changes. */
export function useUnsaved(isChanged: boolean): void {
  const report = use(Report);
  const form = useId();
  useUnfinished(isChanged);
  useEffect(() => {
    report(form, isChanged);
    return () => report(form, false);
  }, [report, form, isChanged]);
}

const placeOf = (hash: string) => hash.split('?', 1)[0];

/** Asks before the owner leaves a page with unsaved changes, by a link, the back button or a reload. */
export function UnsavedGuard({ children }: { children: ReactNode }): ReactElement {
  const { home } = useClient();
  const [changed] = useState(() => new Set<string>());
  const here = useRef(window.location.hash);
  const [requested, setRequested] = useState<string | null>(null);
  const [report] = useState(() => (form: string, isChanged: boolean) => {
    if (isChanged) changed.add(form);
    else changed.delete(form);
  });

  useEffect(() => {
    const endGuard = guardLeaving((next) => {
      if (changed.size === 0 || placeOf(next) === placeOf(here.current)) {
        here.current = next;
        return false;
      }
      window.history.pushState(null, '', here.current);
      setRequested(next);
      return true;
    });
    const warn = (event: Event) => {
      if (changed.size > 0) event.preventDefault();
    };
    // A desktop window would ignore the click on its close button without a word. There it only hides.
    if (home === 'browser') window.addEventListener('beforeunload', warn);
    return () => {
      endGuard();
      window.removeEventListener('beforeunload', warn);
    };
  }, [changed, home]);

  const leave = () => {
    changed.clear();
    setRequested(null);
    if (requested !== null) window.location.hash = requested;
  };
  return (
    <Report value={report}>
      {children}
      {requested !== null && (
        <Confirm
          title={words.title}
          action={words.action}
          busy={false}
          error={null}
          onConfirm={leave}
          onClose={() => setRequested(null)}
        >
          {words.about}
        </Confirm>
      )}
    </Report>
  );
}
