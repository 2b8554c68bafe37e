//! Every operation, declared once: its numbers with their names, what it holds, its coder, its text form.

/// Hands the list to a macro that makes something of it. The first function of a line is the coder (the operation, a wire, and for whom it is read),
/// the second the form (the operation, a form, the names that the dialect knows).
macro_rules! operations {
    ($make:ident $with:tt) => {
        $make! {
            $with
            /// Nothing.
            Nop = "nop" [op::NOP];
            /// The level's strings and baselines.
            Gamestate(Gamestate) = "gamestate" [op::GAMESTATE] |m, w, dialect| m.code(w, dialect), |m, f, words| f.object(|f| m.form(f, words));
            /// A reliable command.
            ServerCommand(ServerCommand) = "serverCommand" [op::SERVER_COMMAND] |m, w, _dialect| m.code(w), |m, f, _words| f.object(|f| m.form(f));
            /// A piece of a file.
            Download(Download) = "download" [op::DOWNLOAD] |m, w, _dialect| m.code(w), |m, f, _words| f.object(|f| m.form(f));
            /// The state of the game.
            Snapshot(Box<Snapshot>) = "snapshot" [op::SNAPSHOT] |m, w, dialect| m.code(w, dialect), |m, f, words| f.object(|f| m.form(f, words));
            /// Voice data in Speex.
            VoiceSpeex(Voice) = "voipSpeex" [op::VOICE_SPEEX] |m, w, dialect| m.code(w, dialect.voice_flags), |m, f, words| m.form(f, words.dialect.voice_flags);
            /// Voice data in Opus.
            VoiceOpus(Voice) = "voipOpus" [op::VOICE_OPUS] |m, w, dialect| m.code(w, dialect.voice_flags), |m, f, words| m.form(f, words.dialect.voice_flags);
        }
    };
}
pub(crate) use operations;
