//! The command as an image for containers: one program without libraries, in the layout of the Open Container Initiative. `docker load` and
//! `podman load` read it.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::target::Target;
use super::trial::{self, must};
use super::{Release, at, pack};
use crate::step::{Failed, checkout, leave_out, target as build_folder, timed};

const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";
const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const PROGRAM: &str = "usr/bin/fragreel";

/// Builds the program and writes the image.
pub fn make(release: &Release) -> Result<(), Failed> {
    let target = Target::without_libraries();
    if let Some(missing) = target.missing(release.tools.as_ref()) {
        leave_out(format!("the image: {missing}"));
        return Ok(());
    }
    let program = target.build(release)?;
    let layer = layer(&program, release.epoch)?;
    let path = release.folder.join(format!("fragreel-{}-image-amd64.tar", release.version));
    let file = File::create(&path).map_err(|error| at(&path, error))?;
    pack::write_tar(file, &members(&layer, release.version)?, release.epoch).map_err(|error| at(&path, error))?;
    try_layer(&layer)
}

/// The files of the image, as a tar.
fn layer(program: &Path, epoch: u64) -> Result<Vec<u8>, Failed> {
    let mut files = Vec::new();
    for (name, path) in [
        (PROGRAM, program),
        ("usr/share/doc/fragreel/LICENSE-APACHE", &checkout().join("LICENSE-APACHE")),
        ("usr/share/doc/fragreel/LICENSE-MIT", &checkout().join("LICENSE-MIT")),
    ] {
        files.push((name.to_owned(), fs::read(path).map_err(|error| at(path, error))?));
    }
    let mut layer = Vec::new();
    pack::write_tar(&mut layer, &files, epoch).map_err(|error| at(program, error))?;
    Ok(layer)
}

/// The files of the layout, with the list that `docker load` reads beside them.
fn members(layer: &[u8], version: &str) -> Result<Vec<(String, Vec<u8>)>, Failed> {
    let packed = pack::gzip(layer).map_err(|error| Failed(format!("the image: {error}")))?;
    let config = json!({
        "architecture": "amd64",
        "os": "linux",
        "config": { "Entrypoint": [format!("/{PROGRAM}")], "WorkingDir": "/data" },
        "rootfs": { "type": "layers", "diff_ids": [format!("sha256:{}", pack::sum(layer))] },
    });
    let (mut blobs, config) = (Vec::new(), config.to_string().into_bytes());
    let mut blob = |media: &str, bytes: Vec<u8>| -> (String, Value) {
        let sum = pack::sum(&bytes);
        let about = json!({ "mediaType": media, "digest": format!("sha256:{sum}"), "size": bytes.len() });
        let name = format!("blobs/sha256/{sum}");
        blobs.push((name.clone(), bytes));
        (name, about)
    };
    let (config_name, config) = blob(CONFIG, config);
    let (layer_name, layer) = blob(LAYER, packed);
    let manifest = json!({ "schemaVersion": 2, "mediaType": MANIFEST, "config": config, "layers": [layer] });
    let (_, mut manifest) = blob(MANIFEST, manifest.to_string().into_bytes());
    manifest["annotations"] = json!({ "org.opencontainers.image.ref.name": version });
    let index = json!({ "schemaVersion": 2, "manifests": [manifest] });
    let list = json!([{ "Config": config_name, "RepoTags": [format!("fragreel:{version}")], "Layers": [layer_name] }]);
    let texts = [("oci-layout", json!({ "imageLayoutVersion": "1.0.0" })), ("index.json", index), ("manifest.json", list)];
    Ok(texts.into_iter().map(|(name, text)| (name.to_owned(), text.to_string().into_bytes())).chain(blobs).collect())
}

/// Runs the program where there is no other file but a sample.
fn try_layer(layer: &[u8]) -> Result<(), Failed> {
    let isolated = |root: &Path| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--map-root-user", "--root"]).arg(root).arg(format!("/{PROGRAM}")).env_clear();
        unshare
    };
    if !Command::new("unshare").args(["--map-root-user", "true"]).output().is_ok_and(|output| output.status.success()) {
        leave_out("the image was not tried: `unshare --map-root-user` does not work here");
        return Ok(());
    }
    let root = trial::empty(build_folder().join("dist-image"))?;
    tar::Archive::new(layer).unpack(&root).map_err(|error| at(&root, error))?;
    let sample = checkout().join("samples/quake3/dm_bots.dm_71");
    fs::copy(&sample, root.join("dm_bots.dm_71")).map_err(|error| at(&sample, error))?;
    timed("trial of the image", || {
        let printed = trial::ends_with(isolated(&root).args(["info", "--json", "/dm_bots.dm_71"]), 0)?;
        must(printed.contains("\"dialect\":\"71\""), || format!("info of a sample prints {printed}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_digest_is_that_of_a_blob() {
        let layer = b"a layer".repeat(100);
        let members = members(&layer, "1.2.3").unwrap_or_else(|Failed(why)| panic!("{why}"));
        let bytes = |name: &str| &members.iter().find(|(member, _)| member == name).unwrap_or_else(|| panic!("there is no {name}")).1;
        let read = |name: &str| serde_json::from_slice::<Value>(bytes(name)).expect("it is JSON");
        let blob = |about: &Value| {
            let sum = about["digest"].as_str().and_then(|digest| digest.strip_prefix("sha256:")).expect("a digest").to_owned();
            let bytes = bytes(&format!("blobs/sha256/{sum}"));
            assert_eq!((pack::sum(bytes), Some(bytes.len() as u64)), (sum.clone(), about["size"].as_u64()));
            format!("blobs/sha256/{sum}")
        };
        let manifest = read(&blob(&read("index.json")["manifests"][0]));
        let (config, packed) = (blob(&manifest["config"]), blob(&manifest["layers"][0]));
        assert_eq!(read(&config)["rootfs"]["diff_ids"][0], format!("sha256:{}", pack::sum(&layer)));
        let list = read("manifest.json");
        assert_eq!((list[0]["Config"].as_str(), list[0]["Layers"][0].as_str()), (Some(&*config), Some(&*packed)));
    }
}
