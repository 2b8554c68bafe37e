//! Every operation, declared once: its numbers with their names, what it holds, its coder, its text form.

/// Hands the list to a macro that makes something of it: [`message`](super) the numbers, the operations and their coders,
/// [`text`](crate::text) their forms. The first function of a line is the coder (the operation, a wire, and for whom it is read), the
/// second the form (the operation, a form, the names that the dialect knows).
macro_rules! operations {
    ($make:ident) => {
        $make! {
            /// Nothing.
            Nop [NOP = 1 "nop"];
            /// The level's strings and baselines.
            Gamestate(Gamestate) [GAMESTATE = 2 "gamestate"] |m, w, dialect| m.code(w, dialect), |m, f, words| f.object(|f| m.form(f, words));
            /// A reliable command.
            ServerCommand(ServerCommand) [SERVER_COMMAND = 5 "serverCommand"] |m, w, _dialect| m.code(w), |m, f, _words| f.object(|f| m.form(f));
            /// A piece of a file.
            Download(Download) [DOWNLOAD = 6 "download"] |m, w, _dialect| m.code(w), |m, f, _words| f.object(|f| m.form(f));
            /// The state of the game.
            Snapshot(Box<Snapshot>) [SNAPSHOT = 7 "snapshot"] |m, w, dialect| m.code::<W, KEEP>(w, dialect), |m, f, words| f.object(|f| m.form(f, words));
            /// Voice data, Speex or Opus.
            Voice(Voice) [VOICE_SPEEX = 9 "voipSpeex", VOICE_OPUS = 10 "voipOpus"] |m, w, dialect| m.code(w, dialect.voice_flags), |m, f, words| m.form(f, words.dialect.voice_flags);
        }
    };
}
pub(crate) use operations;
