//! Weapons by their view models.

use std::borrow::Cow;

/// The weapon of a view model. Unknown weapons have the name of their folder.
pub(crate) fn weapon(model: &str) -> Option<Cow<'static, str>> {
    let folder = model.rsplit('/').nth(1)?;
    Some(match folder {
        "v_blast" => Cow::Borrowed("blaster"),
        "v_shotg" => Cow::Borrowed("shotgun"),
        "v_shotg2" => Cow::Borrowed("super shotgun"),
        "v_machn" => Cow::Borrowed("machinegun"),
        "v_chain" => Cow::Borrowed("chaingun"),
        "v_handgr" => Cow::Borrowed("grenades"),
        "v_launch" => Cow::Borrowed("grenade launcher"),
        "v_rocket" => Cow::Borrowed("rocket launcher"),
        "v_hyperb" => Cow::Borrowed("hyperblaster"),
        "v_rail" => Cow::Borrowed("railgun"),
        "v_bfg" => Cow::Borrowed("bfg10k"),
        other => Cow::Owned(other.to_owned()),
    })
}
