import { useEffect, useRef, useState, type ReactElement } from 'react';
import { ErrorBoundary } from 'react-error-boundary';
import type { Screen } from '../src-main/contract/window.ts';
import { Announcer } from './announcer.tsx';
import type { Connection } from './client/client.ts';
import { useAnswer, useClient, useLiveAnswers } from './client/queries.ts';
import { ActivityScreen } from './features/activity/activity-screen.tsx';
import { Apps } from './features/apps/apps.tsx';
import { RestoreFlow } from './features/data/restore-flow.tsx';
import { YourData } from './features/data/your-data.tsx';
import { Media } from './features/media/media.tsx';
import { UploadsProvider } from './features/media/uploads.tsx';
import { Porch } from './features/porch/porch.tsx';
import { Posts } from './features/posts/posts.tsx';
import { SettingsScreen } from './features/settings/settings-screen.tsx';
import { Setup } from './features/setup/setup.tsx';
import { SignIns } from './features/sign-ins/sign-ins.tsx';
import { Webmentions } from './features/webmentions/webmentions.tsx';
import { Wizard } from './features/welcome/wizard.tsx';
import { WritingDeskProvider } from './features/write/desk.tsx';
import { Write } from './features/write/write.tsx';
import {
  hashOf,
  isSmallWindow,
  restoreHash,
  useIsRestoring,
  useRoute,
  useWelcomeStep,
  welcomeHash,
} from './routes.ts';
import shell from './shell.module.css';
import { Sidebar } from './sidebar.tsx';
import { Broken } from './ui/broken.tsx';
import { pageTitleId } from './ui/page.tsx';
import { Loaded, WarningNote } from './ui/states.tsx';
import { useUnfinished } from './ui/unfinished.ts';
import { UnsavedNotice } from './unsaved-notice.tsx';
import { shellWords, sidebarWords } from './words.ts';

const views: Record<Screen, () => ReactElement> = {
  porch: Porch,
  'sign-ins': SignIns,
  apps: Apps,
  webmentions: Webmentions,
  write: Write,
  posts: Posts,
  media: Media,
  activity: ActivityScreen,
  data: YourData,
  settings: SettingsScreen,
  setup: Setup,
};

/** Screens with room for two columns. */
const roomy: ReadonlySet<Screen> = new Set(['webmentions', 'write', 'posts', 'media']);

/** The window: the welcome at the first start or when the owner repeats it, otherwise the sidebar and one screen. */
export function App(): ReactElement {
  useLiveAnswers();
  const settings = useAnswer('settings.get', {});
  const step = useWelcomeStep();
  const [later, setLater] = useState(false);
  const isRestoring = useIsRestoring();
  const hasAddress = typeof settings.data?.profile.me === 'string';
  const isKnown = settings.data !== undefined && (hasAddress || later);
  // A restore and the welcome keep their state in the page.
  useUnfinished(isRestoring || step !== null || !hasAddress);
  if (isRestoring) {
    return (
      <main className={`${shell.alone} ${shell.wide}`}>
        <LineNotice />
        <RestoreFlow
          onLeave={() => {
            window.location.hash = isKnown ? hashOf('data') : welcomeHash('who');
          }}
        />
        <Announcer />
      </main>
    );
  }
  if (isKnown && step === null) return <House entered={later} />;
  return (
    <main className={shell.alone}>
      <LineNotice />
      <Loaded query={settings} what={shellWords.settings}>
        {() => (
          <Wizard
            step={step ?? 'who'}
            onRestore={() => {
              window.location.hash = restoreHash;
            }}
            onLeave={(screen) => {
              setLater(true);
              window.location.hash = hashOf(screen);
            }}
          />
        )}
      </Loaded>
      <Announcer />
    </main>
  );
}

/** `entered`: the owner has just left the welcome. */
function House({ entered }: { entered: boolean }): ReactElement {
  const { screen } = useRoute();
  useFocusOnArrival(screen, entered);
  const View = views[screen];
  return (
    <div className={isSmallWindow() ? undefined : shell.house}>
      {isSmallWindow() ? <title>{sidebarWords.screens[screen]}</title> : <Sidebar current={screen} />}
      <main className={isSmallWindow() ? `${shell.room} ${shell.tight}` : shell.room}>
        <div className={roomy.has(screen) ? `${shell.column} ${shell.roomy}` : shell.column}>
          <LineNotice />
          <WritingDeskProvider>
            <UploadsProvider>
              <ErrorBoundary key={screen} FallbackComponent={Broken}>
                <View />
              </ErrorBoundary>
            </UploadsProvider>
          </WritingDeskProvider>
        </div>
      </main>
      <Announcer />
      <UnsavedNotice />
    </div>
  );
}

/** Warns the owner while the service is not responding. */
function LineNotice(): ReactElement | null {
  const client = useClient();
  const [connection, setConnection] = useState<Connection>('open');
  useEffect(() => client.watchConnection(setConnection), [client]);
  if (connection !== 'lost') return null;
  return (
    <div role="status" className={shell.notice}>
      <WarningNote>
        <b>{shellWords.notResponding}</b> {shellWords.notRespondingMore}
      </WarningNote>
    </div>
  );
}

/** Scrolls a new screen to its top and focuses its heading, unless the item that the owner came for has the focus. */
function useFocusOnArrival(screen: Screen, entered: boolean): void {
  const before = useRef(entered ? null : screen);
  useEffect(() => {
    if (before.current === screen) return;
    before.current = screen;
    // The item that the owner came for, such as one sign-in, has the focus already.
    if (document.querySelector('main')?.contains(document.activeElement)) return;
    window.scrollTo(0, 0);
    document.getElementById(pageTitleId)?.focus();
  }, [screen]);
}
